"""Card templates: of the datasets, the Space and the models; Markdown with named holes."""
