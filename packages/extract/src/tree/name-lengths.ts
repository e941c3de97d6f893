/** Lengths of a set of names as bits, by first ASCII letter: rejects other names without copying them. */
export type NameLengths = Uint32Array;

const LONGEST = 31;

/** Indexes names of at most 31 characters. */
export function indexLengths(names: Iterable<string>): NameLengths {
  const lengths = new Uint32Array(128);
  for (const name of names) {
    if (name.length > LONGEST) throw new RangeError(`${name} has more than ${LONGEST} characters`);
    const first = name.charCodeAt(0);
    if (first < lengths.length) lengths[first] |= 1 << name.length;
  }
  return lengths;
}

/** Whether a name with this first character may be in the set; always true outside ASCII. */
export function mayStartName(lengths: NameLengths, first: number): boolean {
  return first >= lengths.length || lengths[first] !== 0;
}

/** Like `mayStartName`, with the name's length. */
export function mayBeName(lengths: NameLengths, first: number, length: number): boolean {
  return first >= lengths.length || (length <= LONGEST && (lengths[first] & (1 << length)) !== 0);
}
