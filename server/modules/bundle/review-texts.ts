import type { ModuleWarning } from '../../../contract/modules.ts'
import type { Manifest } from './manifest.ts'
import { shownText } from './shown-text.ts'

/** Characters that nobody sees, or that change the order in which others are read. Not the joiners in pictures and some scripts. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[^\P{Cc}\n\r\t]/u
/** Phrases that are meant for a model and not for a person who reads what a tool does. */
const INSTRUCTIONS = [
  /<\s{0,5}\/?\s{0,5}(?:important|system|instructions?|secret|hidden|admin)\b[^>]{0,100}>/i,
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?)\b/is,
  /\b(?:do not|don't|never|without)\s{1,5}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|show|showing)\b.{0,30}\b(?:user|person|human|anyone|this)\b/is,
  /\b(?:before|instead of)\s{1,5}(?:using|calling|invoking|running)\s{1,5}(?:any|every|all|another|other)\b/is,
  /\b(?:always|must)\s{1,5}(?:first\s{1,5})?(?:call|use|invoke|run)\s{1,5}this\s{1,5}tool\b/is,
  /\b(?:read|send|include|pass|attach|forward|upload)\b.{0,60}(?:\.ssh|id_rsa|\.env\b|\/etc\/(?:passwd|shadow)|api[_ -]?keys?\b|credentials?\b|system prompt)/is,
  /<!--/,
]

/** Warnings about texts of a manifest that say something else to a model than to a person, or look like something else. */
export function reviewTexts(manifest: Manifest): ModuleWarning[] {
  const warnings: ModuleWarning[] = []
  const texts = manifestTexts(manifest)
  const unseen = texts.find(({ text }) => INVISIBLE.test(text))
  if (unseen !== undefined)
    warnings.push({
      code: 'invisible_characters',
      level: 'danger',
      message: `${unseen.place} holds characters that nobody sees: ${excerpt(unseen.text, INVISIBLE)}`,
    })
  for (const { place, text } of texts) {
    const pattern = INSTRUCTIONS.find((each) => each.test(text))
    if (pattern === undefined) continue
    warnings.push({
      code: 'hidden_instructions',
      level: 'danger',
      message: `${place} reads like instructions to a model: ${excerpt(text, pattern)}`,
    })
    break
  }
  const mixed = [manifest.name, manifest.display_name ?? ''].find(mixesScripts)
  if (mixed !== undefined)
    warnings.push({
      code: 'confusable_name',
      level: 'danger',
      message: `The name “${shownText(mixed)}” mixes letters of different alphabets that look alike.`,
    })
  return warnings
}

/** Latin together with letters that can be taken for Latin ones. */
function mixesScripts(text: string): boolean {
  return text
    .split(/[\s._/-]+/)
    .some(
      (word) =>
        /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word),
    )
}

function manifestTexts(manifest: Manifest): { place: string; text: string }[] {
  const found: { place: string; text: string }[] = []
  const collect = (value: unknown, path: string): void => {
    if (typeof value === 'string') found.push({ place: `“${shownText(path, 100)}” of the manifest`, text: value })
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) {
        found.push({ place: `A key of “${shownText(path, 100)}” in the manifest`, text: key })
        collect(member, `${path}.${key}`)
      }
  }
  // The long description is for people only, and may well show how to talk to a model.
  const { long_description: _, server: __, ...rest } = manifest
  for (const [key, value] of Object.entries(rest)) collect(value, key)
  return found
}

function excerpt(text: string, pattern: RegExp): string {
  const at = pattern.exec(text)?.index ?? 0
  const from = Math.max(0, at - 30)
  return `“${from > 0 ? '…' : ''}${shownText(text.slice(from, at + 90))}${text.length > at + 90 ? '…' : ''}”`
}
