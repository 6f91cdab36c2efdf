"""The tables and figures of Layered-VQA, one module each, from the inputs of a study."""
