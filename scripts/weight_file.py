"""A file of weights as MIL's BLOBFILE reads it (weight.bin): a header, and a record of fp16 numbers for each
tensor."""

import struct

HEAD = struct.Struct("<II56x")  # records, version
RECORD = struct.Struct("<IIQQ40x")  # sentinel, element type, bytes, place of the data
SENTINEL = 0xDEADBEEF
FP16 = 1


class WeightFile:
    """Writes the records of a file one after the other, and the header when closed."""

    def __init__(self, path):
        self.file, self.records = open(path, "wb"), 0
        self.file.write(HEAD.pack(0, 2))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.seek(0)
        self.file.write(HEAD.pack(self.records, 2))
        self.file.close()

    def add(self, size, pieces):
        """Writes a record of `size` bytes from the pieces in order; returns its offset."""
        self.file.write(bytes(-self.file.tell() % 64))
        place = self.file.tell()
        self.file.write(RECORD.pack(SENTINEL, FP16, size, place + RECORD.size))
        for piece in pieces:
            self.file.write(piece)
        assert self.file.tell() == place + RECORD.size + size
        self.records += 1
        return place
