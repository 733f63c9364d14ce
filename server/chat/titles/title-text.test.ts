import { describe, expect, test } from 'vitest'
import { nameAfter, nameOfCommand, readTitle } from './title-text.ts'

describe('titles', () => {
  test.each([
    ['Which disk is full?\nThanks', 'Which disk is full?'],
    ['\n\n## **Plan** for `web`', 'Plan for web'],
    ['- see [the log](http://x/y)', 'see the log'],
    ['```sh\nuptime', 'uptime'],
    ['ls *.txt and snake_case', 'ls *.txt and snake_case'],
    ['a'.repeat(100), `${'a'.repeat(79)}…`],
  ])('of the first words %j', (message, title) => expect(nameAfter(message)).toBe(title))

  test.each([
    ['', 'Disk usage'],
    ['path=/var depth=2', 'Disk usage: /var'],
    ['"/srv/my files"', 'Disk usage: /srv/my files'],
    ['path="a b" x=1', 'Disk usage: a b'],
    ['{"path": "/"}', 'Disk usage'],
  ])('of a command with %j', (rest, title) =>
    expect(nameOfCommand({ title: 'Disk usage', main_argument: null }, rest)).toBe(title),
  )

  test.each([
    ['limit=5 state=failed', 'Services: failed'],
    ['state="not found" limit=5', 'Services: not found'],
    ['failed', 'Services: failed'],
    ['limit=5', 'Services: 5'],
    ['{"state":"failed"}', 'Services'],
  ])('of a command whose tool names its main argument, with %j', (rest, title) =>
    expect(nameOfCommand({ title: 'Services', main_argument: 'state' }, rest)).toBe(title),
  )

  test.each([
    ['"Full disk on web1."', 'Full disk on web1'],
    ['Title: „Volle Platte“', 'Volle Platte'],
    ['**Nginx: restart loop**\n\nBecause …', 'Nginx: restart loop'],
    ['# `df` explained', 'df explained'],
    ['「ディスクの空き容量」', 'ディスクの空き容量'],
    ['\u202eevil\u0007', 'evil'],
    ['\n \n', ''],
  ])('of the answer %j', (answer, title) => expect(readTitle(answer)).toBe(title))
})
