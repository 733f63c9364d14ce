import type { MessagePartTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { pictureOf } from '../../kernel/picture.ts'
import type { PartData } from '../history/messages.ts'
import type { ModelAbilities, PromptMessage, PromptPicture } from '../ports/model.ts'
import type { Step } from '../run/step.ts'

/** The latest pictures of an answer that its model is shown: each counts like some pages of text. */
const PICTURES = 4
/** What every provider takes of one: more, or what is no picture at all, would be refused with the whole request. */
const BYTES = 3_500_000
const SIDE = 8000

/**
 * The steps of the answer in progress with the pictures that its tools have returned, for a model that may see them.
 * `unseen`: there are some, and it does not.
 */
export async function withToolPictures(
  step: Step,
  messages: PromptMessage[],
  parts: readonly MessagePartTable[],
  calls: ReadonlyMap<string, ToolCallTable>,
  { pictures, tool_pictures }: ModelAbilities,
): Promise<{ readonly messages: PromptMessage[]; readonly unseen: boolean }> {
  const made = parts
    .filter((part) => part.type === 'file')
    .map((part) => JSON.parse(part.data) as PartData['file'])
    .filter(({ media_type, tool_call_id }) => media_type.startsWith('image/') && tool_call_id !== undefined)
    .slice(-PICTURES)
  if (made.length === 0) return { messages, unseen: false }
  if (pictures === false || tool_pictures === false) return { messages, unseen: true }
  const byCall = new Map<string, PromptPicture[]>()
  for (const { file_id, tool_call_id } of made) {
    const image = await readPicture(step, file_id)
    const call_id = calls.get(tool_call_id!)?.call_id
    if (image === null || call_id === undefined) continue
    byCall.set(call_id, [...(byCall.get(call_id) ?? []), image])
  }
  return {
    messages: messages.map((message) =>
      message.role !== 'tool'
        ? message
        : {
            ...message,
            results: message.results.map((result) => {
              const own = byCall.get(result.call_id)
              return own === undefined ? result : { ...result, pictures: own }
            }),
          },
    ),
    unseen: false,
  }
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
