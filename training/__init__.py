"""Learning to play: one learner a file, one run for all of them, and what they share."""
