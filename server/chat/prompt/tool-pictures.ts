import type { Notice } from '../../../contract/chat.ts'
import type { MessagePartTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { pictureOf } from '../../kernel/picture.ts'
import type { PartData } from '../history/messages.ts'
import { PICTURES_REFUSED } from '../history/run-notices.ts'
import type { ModelAbilities, PromptPicture } from '../ports/model.ts'
import type { Step } from '../run/step.ts'

/** The latest pictures of an answer that its model is shown: each counts like some pages of text. */
const PICTURES = 4
/** What every provider takes of one: more, or what is no picture at all, would be refused with the whole request. */
const BYTES = 3_500_000
const SIDE = 8000

/**
 * The pictures that the tools of an answer in progress have returned, by their calls, for a model that may see them. By the id
 * that a call has here: many servers count theirs from zero in each step. `unseen`: there are some, and it does not.
 * Those that were refused are not sent again: of several it is not known which.
 */
export async function toolPictures(
  step: Step,
  parts: readonly MessagePartTable[],
  { pictures, tool_pictures }: ModelAbilities,
): Promise<{ readonly byCall: ReadonlyMap<string, readonly PromptPicture[]>; readonly unseen: boolean }> {
  const refused = parts.findLastIndex(
    ({ type, data }) => type === 'notice' && (JSON.parse(data) as Notice).code === PICTURES_REFUSED,
  )
  const made = parts
    .slice(refused + 1)
    .filter((part) => part.type === 'file')
    .map((part) => JSON.parse(part.data) as PartData['file'])
    .filter(({ media_type, tool_call_id }) => media_type.startsWith('image/') && tool_call_id !== undefined)
    .slice(-PICTURES)
  const byCall = new Map<string, readonly PromptPicture[]>()
  if (pictures === false || tool_pictures === false) return { byCall, unseen: pictures === false && made.length > 0 }
  for (const { file_id, tool_call_id } of made) {
    const image = await readPicture(step, file_id)
    if (image !== null) byCall.set(tool_call_id!, [...(byCall.get(tool_call_id!) ?? []), image])
  }
  return { byCall, unseen: false }
}

/** null: it was deleted meanwhile, or is no picture that every provider takes. */
async function readPicture({ ports, run, policy, signal }: Step, file_id: string): Promise<PromptPicture | null> {
  try {
    const { language } = policy
    const { image } = await ports.attachments.read(run.row.user_id, file_id, 0, { signal, language })
    if (image === null || image.data.byteLength > BYTES) return null
    const found = pictureOf(Buffer.from(image.data))
    return found === null || Math.max(found.width, found.height) > SIDE
      ? null
      : { ...image, media_type: found.media_type }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
