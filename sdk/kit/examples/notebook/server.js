'use strict'
// Data of its own with a format number and a migration, a health check, a prompt, and writes that a crash cannot tear.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { serve, ToolError } = require('./mcp.js')
const { version } = require('./manifest.json')

const FILE = join(process.env.HOME, 'notes.json')
const FORMAT = 2

/** Format 1 was a plain list of texts; format 2 knows when each was written. Later formats are left alone. */
function read() {
  if (!existsSync(FILE)) return []
  const stored = JSON.parse(readFileSync(FILE, 'utf8'))
  if (Array.isArray(stored)) return stored.map((text) => ({ text, written_at: null }))
  if (stored.format > FORMAT)
    throw new ToolError('The notes were written by a newer version of this module. Install that version again.')
  return stored.notes
}

function write(notes) {
  writeFileSync(`${FILE}.new`, JSON.stringify({ format: FORMAT, notes }), { flush: true })
  renameSync(`${FILE}.new`, FILE)
}

const closed = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false })
const READS = { readOnlyHint: true, openWorldHint: false }

serve({
  name: 'notebook',
  version,
  tools: [
    {
      name: 'add_note',
      title: 'Add a note',
      description: 'Adds a note. Use it when the person wants something to be remembered.',
      inputSchema: closed({ text: { type: 'string', minLength: 1, maxLength: 10_000, description: 'The note' } }, [
        'text',
      ]),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      _meta: { 'dev.reeve': { summary: 'Note: {text}' } },
      run({ text }) {
        const notes = [...read(), { text, written_at: new Date().toISOString() }]
        write(notes)
        return `Noted. Notes now: ${notes.length}.`
      },
    },
    {
      name: 'find_notes',
      title: 'Find notes',
      description: 'Finds notes that contain a word; without a word, all of them. Newest first.',
      inputSchema: closed({ word: { type: 'string', maxLength: 200, description: 'A word, in any case' } }),
      annotations: READS,
      run({ word = '' }) {
        const found = read()
          .filter(({ text }) => text.toLowerCase().includes(word.toLowerCase()))
          .reverse()
        const columns = [
          { key: 'text', label: 'Note', type: 'text' },
          { key: 'written_at', label: 'Written', type: 'datetime' },
        ]
        return {
          content: [{ type: 'text', text: `${found.length} notes.` }],
          structuredContent: {
            tables: [{ title: 'Notes', columns, rows: found.slice(0, 1000), total_rows: found.length }],
          },
        }
      },
    },
    {
      name: 'check',
      title: 'Check the notes',
      description: 'Whether the notes can be read. For the health page.',
      inputSchema: closed({}),
      annotations: READS,
      run: () => `${read().length} notes can be read.`,
    },
  ],
  prompts: [
    {
      name: 'summarize',
      title: 'Sum up notes',
      description: 'Sums up the notes about something',
      arguments: [{ name: 'topic', description: 'What about', required: true }],
      text: ({ topic }) => `Find my notes about ${topic} and sum them up.`,
    },
  ],
})
