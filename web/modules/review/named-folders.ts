/** An absolute path as an argument, or as the value of an option in one: `--root=/srv/data`. */
const NAMED = /^(?:-{1,2}[\w-]+=)?(\/.+)$/u
/** More than a person reads through. */
const MOST = 5

/**
 * Places on this machine that a module's arguments name and that none of its folders holds: what it is told to work on is
 * not there for it otherwise.
 */
export function namedFolders(args: readonly string[], folders: readonly { readonly path: string }[]): string[] {
  const given = folders.map(({ path }) => inside(path.trim())).filter((path) => path !== '/')
  const named = args.flatMap((arg) => NAMED.exec(arg.trim())?.[1]?.replace(/(?<=[^/])\/+$/, '') ?? [])
  const missing = named.filter((path) => path !== '/' && !given.some((folder) => inside(path).startsWith(folder)))
  return [...new Set(missing)].slice(0, MOST)
}

function inside(folder: string): string {
  return `${folder.replace(/\/+$/, '')}/`
}
