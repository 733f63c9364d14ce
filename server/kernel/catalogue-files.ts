import { readFileSync } from 'node:fs'

/** Texts in one language, by the English text that they translate. */
export type Texts = Readonly<Record<string, string>>

const NOTHING: Texts = Object.freeze({})

/** The texts of a folder with a file for each language (`de.json`): read on first use of a language, and kept. */
export function catalogueFiles(folder: URL): (language: string) => Texts {
  const known = new Map<string, Texts>()
  return (language) => {
    let texts = known.get(language)
    if (texts === undefined) {
      texts = readTexts(folder, language)
      known.set(language, texts)
    }
    return texts
  }
}

/** English needs no file: its texts are the keys. */
function readTexts(folder: URL, language: string): Texts {
  if (!/^[a-z]{2}$/.test(language)) return NOTHING
  try {
    return JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Texts
  } catch {
    return NOTHING
  }
}
