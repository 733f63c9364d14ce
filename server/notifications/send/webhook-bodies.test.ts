import { describe, expect, test } from 'vitest'
import type { Message } from './message.ts'
import { WEBHOOKS } from './webhook-bodies.ts'

const PLACE = { address: 'https://chat.example/reeve', target: null, secret: 'https://hooks.slack.example/T/B/x' }
const MESSAGE: Message = {
  id: 'obx_1',
  title: 'Ann & <!channel> ask',
  lines: ['See <https://evil.example|here>, @channel', 'It may change something.'],
  link: 'https://reeve.example/files?q=a&f=fil_1',
  data: { type: 'reeve.notices', notices: [] },
}
const bodyOf = (kind: keyof typeof WEBHOOKS, message: Message): unknown =>
  JSON.parse(WEBHOOKS[kind](PLACE, message, 0).body)

describe('what is sent', () => {
  test('Slack shows our link as one, and what others have written as it is', () => {
    expect(bodyOf('slack', MESSAGE)).toEqual({
      text: 'Ann &amp; &lt;!channel&gt; ask',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: MESSAGE.title, emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: MESSAGE.lines.join('\n'), emoji: false } },
        {
          type: 'section',
          text: { type: 'mrkdwn', text: '<https://reeve.example/files?q=a&amp;f=fil_1>', verbatim: true },
        },
      ],
    })
  })

  test('ntfy gets whole lines, and no more bytes than it takes as a message', () => {
    const long = 'ж'.repeat(200)
    const lines = Array.from({ length: 30 }, () => long)
    const { message } = bodyOf('ntfy', { ...MESSAGE, lines }) as { message: string }
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096)
    expect(message.split('\n')).toEqual([...lines.slice(0, 9), '…'])
    expect(bodyOf('ntfy', MESSAGE)).toEqual({
      topic: 'reeve',
      title: MESSAGE.title,
      message: MESSAGE.lines.join('\n'),
      click: MESSAGE.link,
    })
  })
})
