Bwj
locationw.binp