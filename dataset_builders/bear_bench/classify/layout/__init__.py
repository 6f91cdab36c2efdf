"""Features of a page's layout, by our own code: the stand-in where no picture encoder is at hand."""
