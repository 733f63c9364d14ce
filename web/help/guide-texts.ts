import { type Chapter, readChapter } from './chapter.ts'

type Loaders = Readonly<Record<string, () => Promise<string>>>

const guide: Loaders = import.meta.glob<string>('../../help/*/*.md', { query: '?raw', import: 'default' })
const certificates: Loaders = import.meta.glob<string>('../../help/*/certificates/*.md', {
  query: '?raw',
  import: 'default',
})

const author: Loaders = import.meta.glob<string>('../../help/*/author/*.md', { query: '?raw', import: 'default' })

/** The chapters of the guide in order; one missing in a language is shown in English. */
export function loadGuide(language: string): Promise<readonly Chapter[]> {
  return load(guide, language, '')
}

/** Instructions for trusting the local authority, per system; same language rule. */
export function loadCertificateSteps(language: string): Promise<readonly Chapter[]> {
  return load(certificates, language, 'certificates/')
}

/** Who makes Reeve, its licence, and how to contribute; same language rule. */
export function loadAuthorTexts(language: string): Promise<readonly Chapter[]> {
  return load(author, language, 'author/')
}

async function load(texts: Loaders, language: string, folder: string): Promise<readonly Chapter[]> {
  const under = (code: string): string => `../../help/${code}/${folder}`
  const english = Object.keys(texts).filter((path) => path.startsWith(under('en')))
  const chapters = await Promise.all(
    english.map(async (path) => {
      const name = path.slice(under('en').length)
      return readChapter(name.replace(/\.md$/, ''), await (texts[under(language) + name] ?? texts[path])!())
    }),
  )
  return chapters.toSorted((a, b) => a.order - b.order)
}
