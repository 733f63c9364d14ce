/** Names for the members of a row: the keys of its columns, made unique regardless of case. */
export function uniqueKeys(columns: readonly { readonly key: string }[]): string[] {
  const taken = new Set<string>()
  return columns.map(({ key }) => {
    let name = key
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${key} (${n})`
    taken.add(name.toLowerCase())
    return name
  })
}
