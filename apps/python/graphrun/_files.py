# SPDX-License-Identifier: Apache-2.0
"""Files that a child process or a pickle opens again, and that must not have changed."""

import os
import stat

from ._arrays import path_of
from ._errors import DataError


def stamp_of(path):
    """Returns a stamp that differs between files, and after changes of a file."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"{path}: {error}") from None
    if not stat.S_ISREG(found.st_mode):
        raise DataError(f"{path} is not a regular file")
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def check_unchanged(path, stamp):
    if stamp_of(path) != stamp:
        raise DataError(f"{path} was changed since it was opened, or another file has its name now")


def path_and_stamp(path):
    """Returns a path that is valid in other folders, too, and its file's stamp; None for a generator, or several files."""
    name = os.fsdecode(path_of(path))
    archive, colon, member = name.rpartition(":")
    if os.path.exists(name):
        archive, colon, member = name, "", ""
    elif not os.path.isfile(archive):
        return name, None
    archive = os.path.abspath(archive)
    return archive + colon + member, stamp_of(archive) if os.path.isfile(archive) else None


def reopened(path, options, stamp):
    """Makes a graph again from its pickle."""
    import graphrun

    if stamp is not None:
        check_unchanged(path if os.path.exists(path) else path.rpartition(":")[0], stamp)
    return graphrun.open(path, **options)
