import { say, type Sentence } from '../../../kernel/sentence.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { shownText } from '../manifest/shown-text.ts'
import type { FoundWarning } from './found-warning.ts'

/**
 * Characters that are invisible or change the reading order of others, except the joiners used in emoji and some
 * scripts.
 */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[^\P{Cc}\n\r\t]/u
/** Phrases addressed to a model rather than to a person reading what a tool does. */
const INSTRUCTIONS = [
  /<\s{0,5}\/?\s{0,5}(?:important|system|instructions?|secret|hidden|admin)\b[^>]{0,100}>/i,
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?)\b/is,
  /\b(?:do not|don't|never|without)\s{1,5}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|show|showing)\b.{0,30}\b(?:user|person|human|anyone|this)\b/is,
  /\b(?:before|instead of)\s{1,5}(?:using|calling|invoking|running)\s{1,5}(?:any|every|all|another|other)\b/is,
  /\b(?:always|must)\s{1,5}(?:first\s{1,5})?(?:call|use|invoke|run)\s{1,5}this\s{1,5}tool\b/is,
  /\b(?:read|send|include|pass|attach|forward|upload)\b.{0,60}(?:\.ssh|id_rsa|\.env\b|\/etc\/(?:passwd|shadow)|api[_ -]?keys?\b|credentials?\b|system prompt)/is,
  /<!--/,
]

/**
 * Warnings about texts of a manifest that tell a model something different from what a person sees, or imitate another
 * name.
 */
export function reviewTexts(manifest: Manifest): FoundWarning[] {
  const warnings: FoundWarning[] = []
  const texts = manifestTexts(manifest)
  const unseen = texts.find(({ text }) => INVISIBLE.test(text))
  if (unseen !== undefined)
    warnings.push({
      code: 'invisible_characters',
      level: 'danger',
      message: say`${unseen.place} contains invisible characters: ${excerpt(unseen.text, INVISIBLE)}`,
    })
  for (const { place, text } of texts) {
    const pattern = INSTRUCTIONS.find((each) => each.test(text))
    if (pattern === undefined) continue
    warnings.push({
      code: 'hidden_instructions',
      level: 'danger',
      message: say`${place} reads like instructions to a model: ${excerpt(text, pattern)}`,
    })
    break
  }
  const mixed = [manifest.name, manifest.display_name ?? ''].find(mixesScripts)
  if (mixed !== undefined)
    warnings.push({
      code: 'confusable_name',
      level: 'danger',
      message: say`The name “${shownText(mixed)}” mixes look-alike letters from different alphabets.`,
    })
  return warnings
}

/** Whether a word mixes Latin letters with others that can be mistaken for them. */
function mixesScripts(text: string): boolean {
  return text
    .split(/[\s._/-]+/)
    .some(
      (word) =>
        /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word),
    )
}

function manifestTexts(manifest: Manifest): { place: Sentence; text: string }[] {
  const found: { place: Sentence; text: string }[] = []
  const collect = (value: unknown, path: string): void => {
    if (typeof value === 'string') found.push({ place: say`“${shownText(path, 100)}” in the manifest`, text: value })
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) {
        found.push({ place: say`A key of “${shownText(path, 100)}” in the manifest`, text: key })
        collect(member, `${path}.${key}`)
      }
  }
  // Only people read the long description, and it may legitimately show how to talk to a model.
  const { long_description: _, server: __, ...rest } = manifest
  for (const [key, value] of Object.entries(rest)) collect(value, key)
  return found
}

function excerpt(text: string, pattern: RegExp): string {
  const at = pattern.exec(text)?.index ?? 0
  const from = Math.max(0, at - 30)
  return `“${from > 0 ? '…' : ''}${shownText(text.slice(from, at + 90))}${text.length > at + 90 ? '…' : ''}”`
}
