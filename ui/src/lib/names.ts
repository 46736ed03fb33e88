/** Paths and hashes as people read them. */

/** The last part of a path, for either kind of slash. */
export function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return parts.at(-1) ?? path;
}

/** `path` seen from `root`, or with the home folder as `~`, or as it is. */
export function shortPath(path: string, root?: string | null): string {
  if (root) {
    for (const slash of ["/", "\\"]) {
      const prefix = root.endsWith(slash) ? root : root + slash;
      if (path.startsWith(prefix)) return path.slice(prefix.length);
    }
  }
  return path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|[A-Z]:\\Users\\[^\\]+)(?=[\\/])/, "~");
}

/** `9c41…e07b` */
export function shortHash(hash: string): string {
  const bare = hash.replace(/^[a-z0-9]+:/i, "");
  return bare.length > 12 ? `${bare.slice(0, 4)}…${bare.slice(-4)}` : bare;
}
