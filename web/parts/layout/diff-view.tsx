import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'

/** Lines in view before the rest is asked for. */
const FOLDED = 16

interface DiffViewProps {
  /** What the lines are about. */
  readonly title: string
  /** A unified diff, or plain lines. */
  readonly text: string
  readonly diff: boolean
}

/** Lines in a fixed-width face, those of a diff by what becomes of them; long ones are folded. Text only, whatever it is. */
export function DiffView({ title, text, diff }: DiffViewProps) {
  const [open, setOpen] = useState(false)
  const lines = text.split('\n')
  const folded = !open && lines.length > FOLDED + 4
  const shown = folded ? lines.slice(0, FOLDED) : lines
  return (
    <figure className="border-line bg-sunken overflow-hidden rounded-md border">
      {title !== '' && (
        <figcaption className="border-line border-b px-3 py-1.5 font-mono text-xs break-all">{title}</figcaption>
      )}
      <pre
        tabIndex={0}
        aria-label={title === '' ? t('diff.label') : title}
        className="max-h-96 overflow-auto py-1.5 text-xs leading-5 focus-visible:outline-offset-[-2px]"
      >
        <code className="block w-max min-w-full">
          {shown.map((line, index) => (
            <span key={index} className={classNames('block min-h-5 px-3', diff && lookOf(line))}>
              {line}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
      {folded && (
        <div className="border-line border-t px-1.5 py-1">
          <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
            {t('diff.show_all', { count: lines.length })}
          </Button>
        </div>
      )}
    </figure>
  )
}

/** The sign stays in the text, so that nothing depends on the colour. */
function lookOf(line: string): string {
  if (line.startsWith('+')) return 'bg-ok-soft'
  if (line.startsWith('-')) return 'bg-danger-soft'
  return line.startsWith('@@') || line.startsWith('\\') ? 'text-muted' : ''
}
