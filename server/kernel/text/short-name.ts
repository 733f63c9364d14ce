/** Characters that a module's name keeps at least. */
const OF_MODULE = 12

/**
 * The names of a module and of its tool in so many characters, with `_` for what is no letter, digit or `-`. The module's is cut
 * first: what a tool does says more than which package it is from.
 */
export function shortName(module: string, tool: string, length: number): string {
  const own = plain(tool).slice(0, length - OF_MODULE - 1)
  return plain(`${plain(module).slice(0, length - own.length - 1)}_${own}`)
}

function plain(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9-]+/g, '_')
}
