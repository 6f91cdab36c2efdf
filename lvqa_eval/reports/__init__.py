"""Reports of a run: tables and a page, written from the records alone and the same at every writing."""
