import type { LanguageModelMiddleware } from 'ai'
import { isTooDeep, JSON_DEPTH } from '../../kernel/text/json-depth.ts'

/** The replacement: not JSON, so the call is refused and the model reads why. */
const TOO_DEEP = `(nested more than ${JSON_DEPTH} levels deep)`

/**
 * Replaces arguments that are nested too deep before the SDK sees them: it copies values recursively, and the overflow
 * would end the run as if the engine were unavailable.
 */
export const flatArguments: LanguageModelMiddleware = {
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream()
    return {
      ...rest,
      stream: stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            controller.enqueue(
              part.type === 'tool-call' && isDeepText(part.input) ? { ...part, input: TOO_DEEP } : part,
            )
          },
        }),
      ),
    }
  },
}

type Wrapped = Awaited<ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]['doStream']>>
type StreamPart = Wrapped['stream'] extends ReadableStream<infer P> ? P : never

function isDeepText(text: string): boolean {
  try {
    return isTooDeep(JSON.parse(text))
  } catch {
    return false
  }
}
