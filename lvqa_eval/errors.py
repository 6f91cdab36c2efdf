"""The base of every error that a user can mend: its message says what was found and what is allowed."""


class LvqaError(Exception):
    """Something that the user can put right; the command line shows the message alone."""
