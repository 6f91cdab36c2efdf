"""How figures are drawn: one style, and the kinds of plots that several figures share."""
