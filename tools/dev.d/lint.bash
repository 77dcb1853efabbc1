dev_lint() { :; }
