"""Single conversations of a board as the page of examples shows them."""
