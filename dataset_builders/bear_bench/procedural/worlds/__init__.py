"""What documents are about: companies and studies, each the same on all pages of its document."""
