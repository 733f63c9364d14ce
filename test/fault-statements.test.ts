import { describe, expect, test } from 'vitest'
import { walkStory, type Fault, type StoryOptions } from './stage/databases/fault-story.ts'
import { databases } from './stage/servers/postgres.ts'

const WRITE = /^\s*(insert|update|delete|commit)\b/i
const READ = /^(?!\s*(insert|update|delete|commit)\b)/i

/** Fails `count` statements in a row, of those that `kind` fits. */
function statementFault(kind: RegExp, count: number): Fault & Required<Pick<StoryOptions, 'observe'>> {
  let left = Infinity
  const struck: string[] = []
  return {
    struck,
    arm(n) {
      struck.length = 0
      left = n
    },
    disarm() {
      left = Infinity
    },
    observe(statement) {
      if (!kind.test(statement) || --left > 0 || struck.length >= count) return
      struck.push(statement)
      throw new Error('the disk is full (a fault of the test)')
    },
  }
}

function walk(database: (typeof databases)[number], kind: RegExp, count: number, stride: number): Promise<number> {
  const fault = statementFault(kind, count)
  return walkStory(database, fault, { observe: (statement) => fault.observe(statement), stride })
}

describe.each(databases)('statements that fail on $name', (database) => {
  // On PostgreSQL a story takes several times as long, and the program is the same: there a sample has to do.
  const sample = database.name === 'sqlite' ? 1 : 3

  // How many there are at least: fewer would mean that the faults missed the story.
  test(
    'whichever write fails, nothing acknowledged is lost and nothing is left open or done twice',
    { timeout: 120_000 },
    async () => {
      expect(await walk(database, WRITE, 1, sample)).toBeGreaterThan(60)
    },
  )

  // There are as many again, and many of them alike: a sample has to do.
  test('nor whichever read fails', { timeout: 120_000 }, async () => {
    expect(await walk(database, READ, 1, 3 * sample)).toBeGreaterThan(50)
  })

  // Each costs the waits between the attempts to give up.
  test(
    'when writes go on failing until even giving up fails, the next round ends the run',
    { timeout: 120_000 },
    async () => {
      expect(await walk(database, WRITE, 8, 5 * sample)).toBeGreaterThan(60)
    },
  )
})
