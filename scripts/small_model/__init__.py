"""The parts of `scripts/train_small_model.py`: a small vision-language model, trained on drawn scenes."""
