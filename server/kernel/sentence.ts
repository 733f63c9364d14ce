import { catalogueFiles } from './catalogue-files.ts'

type Value = string | number | Sentence

/** A sentence in a form that can be sent to another process. */
export interface PackedSentence {
  readonly template: string
  readonly values: readonly (string | number | PackedSentence)[]
}

/**
 * A sentence for a person, translated into their language when it is sent. Its English template is its key in the
 * catalogues (`server/locales/<language>.json`): `Version {0} is older.`; English needs no catalogue.
 */
export class Sentence {
  readonly template: string
  readonly values: readonly Value[]

  constructor(template: string, values: readonly Value[]) {
    this.template = template
    this.values = values
  }

  /** The text in a language (`de`), or in English if that language lacks it. */
  in(language: string): string {
    const template = catalogueOf(language)[this.template] ?? this.template
    return template.replace(/\{(\d)\}/g, (whole, at: string) => {
      const value = this.values[Number(at)]
      if (value === undefined) return whole
      return value instanceof Sentence ? value.in(language) : String(value)
    })
  }

  pack(): PackedSentence {
    const values = this.values.map((value) => (value instanceof Sentence ? value.pack() : value))
    return { template: this.template, values }
  }

  static unpack({ template, values }: PackedSentence): Sentence {
    return new Sentence(
      template,
      values.map((value) => (typeof value === 'object' ? Sentence.unpack(value) : value)),
    )
  }

  toString(): string {
    return this.in('en')
  }
}

/** Writes a translatable sentence: say`Version ${version} is older.` */
export function say(parts: TemplateStringsArray, ...values: Value[]): Sentence {
  return new Sentence(
    parts.reduce((template, part, at) => `${template}{${at - 1}}${part}`),
    values,
  )
}

/** A sentence written elsewhere, by a module or another process; kept as it is unless a catalogue has it. */
export function quoted(text: string): Sentence {
  return new Sentence(text, [])
}

const catalogueOf = catalogueFiles(new URL('../locales/', import.meta.url))
