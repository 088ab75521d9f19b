"""What somebody may do to the lines of a file, one function each: the lines before, the place, the lines after."""

Lines = list[bytes]


def delete(lines: Lines, index: int) -> Lines:
    return [*lines[:index], *lines[index + 1 :]]


def swap(lines: Lines, index: int) -> Lines:
    other = index + 1 if index + 1 < len(lines) else 0
    result = list(lines)
    result[index], result[other] = result[other], result[index]
    return result


def duplicate(lines: Lines, index: int) -> Lines:
    return [*lines[: index + 1], *lines[index:]]


def cut_line(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index][: len(lines[index]) // 2] + b"\n", *lines[index + 1 :]]


def cut_file(lines: Lines, index: int) -> Lines:
    return lines[:index]
