type Loaders = Readonly<Record<string, () => Promise<string>>>

const changes: Loaders = import.meta.glob<string>('../../CHANGELOG.md', {
  query: '?raw',
  import: 'default',
})
const licence: Loaders = import.meta.glob<string>('../../LICENSE', {
  query: '?raw',
  import: 'default',
})
const kit: Loaders = import.meta.glob<string>(['../../sdk/kit/AGENTS.md', '../../sdk/kit/docs/*.md'], {
  query: '?raw',
  import: 'default',
})

/** The changelog of the repository. */
export const loadChanges = (): Promise<string> => changes['../../CHANGELOG.md']!()
/** The text of the Apache License 2.0. */
export const loadLicence = (): Promise<string> => licence['../../LICENSE']!()
/** The guide for module authors, as in the kit: `AGENTS` first, then its chapters by name. */
export async function loadKitGuide(): Promise<readonly { readonly id: string; readonly source: string }[]> {
  const paths = Object.keys(kit).toSorted((a, b) => Number(b.endsWith('AGENTS.md')) - Number(a.endsWith('AGENTS.md')))
  return Promise.all(paths.map(async (path) => ({ id: path.replace(/^.*\/|\.md$/g, ''), source: await kit[path]!() })))
}
