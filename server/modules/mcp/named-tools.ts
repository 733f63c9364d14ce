/** How a tool can name others of its module in `_meta["dev.reeve"]`. */
export const HELPERS = ['preview', 'verify', 'undo'] as const
export type Helper = (typeof HELPERS)[number]
export type NamedHelpers = { readonly [K in Helper]?: string }

/** The tools that a definition names, whatever they are. */
export function namedHelpers(ours: Readonly<Record<string, unknown>>): NamedHelpers {
  const named: { [K in Helper]?: string } = {}
  for (const helper of HELPERS) {
    const name = ours[helper]
    if (typeof name === 'string' && name !== '') named[helper] = name
  }
  return named
}
