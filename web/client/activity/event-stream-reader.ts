/** One server-sent event as received; heartbeat comments are not events. */
export interface WireEvent {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/**
 * Parses a text/event-stream. Feed it text as it arrives, split anywhere; it returns the complete events. Used instead
 * of EventSource, which hides the status of a refused connection and the heartbeats that reveal a dead one.
 */
export function createEventStreamReader(): (chunk: string) => WireEvent[] {
  let rest = ''
  let id: string | null = null
  let event = 'message'
  let data: string[] = []

  return (chunk) => {
    const events: WireEvent[] = []
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      if (line === '') {
        if (data.length > 0) events.push({ id, event, data: data.join('\n') })
        id = null
        event = 'message'
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
      if (field === 'id') id = value
      else if (field === 'event') event = value
      else if (field === 'data') data.push(value)
    }
    return events
  }
}
