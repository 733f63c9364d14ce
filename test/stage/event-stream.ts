export interface ReceivedEvent {
  /** Null for events that are not stored. */
  readonly id: number | null
  readonly event: string
  readonly data: unknown
}

/** The server-sent events of a response, as they come; comments are left out. Ends with the response. */
export async function* readEvents(response: Response): AsyncGenerator<ReceivedEvent, void, undefined> {
  if (!response.ok || response.body === null) throw new Error(`No event stream: status ${response.status}.`)
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event !== null) yield event
    }
  }
}

function parseBlock(block: string): ReceivedEvent | null {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line))
  const valueOf = (name: string): string[] => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []))
  const data = valueOf('data')
  if (data.length === 0) return null
  const [id] = valueOf('id')
  return {
    id: id === undefined ? null : Number(id),
    event: valueOf('event')[0] ?? 'message',
    data: JSON.parse(data.join('\n')),
  }
}
