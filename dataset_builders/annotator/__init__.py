"""The annotation app: questions about scenes and pages, and types of errors, each decided by two people."""
