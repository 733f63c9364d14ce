import { type Chapter, readChapter } from './chapter.ts'

type Loaders = Readonly<Record<string, () => Promise<string>>>

const guide: Loaders = import.meta.glob<string>('../../help/*/*.md', { query: '?raw', import: 'default' })
const certificates: Loaders = import.meta.glob<string>('../../help/*/certificates/*.md', {
  query: '?raw',
  import: 'default',
})

const author: Loaders = import.meta.glob<string>('../../help/*/author/*.md', { query: '?raw', import: 'default' })

/** The chapters of the guide in their order; one that a language does not have comes in English. */
export function loadGuide(language: string): Promise<readonly Chapter[]> {
  return load(guide, language, '')
}

/** How each system learns to trust the local authority; the same rule for languages. */
export function loadCertificateSteps(language: string): Promise<readonly Chapter[]> {
  return load(certificates, language, 'certificates/')
}

/** Who makes Reeve, its licence, and how to take part; the same rule for languages. */
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
