"""The demo legal system: contracts, their duties, and what is done about late ones."""
