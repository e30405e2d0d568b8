#!/usr/bin/env python3
"""A real parser as a command for `anecheck fuzz`: Python's plistlib reads network descriptions.

    anecheck fuzz --format netlist --count 500 -- python3 scripts/examples/plist_parser.py @@

Exit code 0: parsed, 1: refused with an exception that plistlib documents. Any other exception ends the
process with a signal, which counts as a crash.
"""

import os
import plistlib
import sys
import traceback
import xml.parsers.expat


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: plist_parser.py FILE")
    try:
        with open(sys.argv[1], "rb") as file:
            document = plistlib.load(file)
    except (ValueError, xml.parsers.expat.ExpatError) as error:  # InvalidFileException is a ValueError
        sys.exit(f"refused: {type(error).__name__}")
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os.abort()
    print(len(document) if isinstance(document, (dict, list)) else type(document).__name__)


if __name__ == "__main__":
    main()
