/** The names as keys: where one comes several times, the later ones are numbered. */
export function uniqueKeys(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const time = (seen.get(name) ?? 0) + 1;
    seen.set(name, time);
    return time === 1 ? name : `${name} ${time}`;
  });
}
