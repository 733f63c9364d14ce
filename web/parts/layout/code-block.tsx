import { WrapText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { IconButton } from '../controls/icon-button.tsx'

export interface CodeBlockProps {
  /** What is copied, and what is shown when there are no children. */
  code: string
  /** Language name, shown as a label. */
  language?: string
  /** The highlighted code. */
  children?: ReactNode
  /** Long lines wrap instead of scrolling, until the user chooses otherwise. */
  wrap?: boolean
}

/** Shorter lines fit everywhere but on a phone, where the block scrolls. */
const LONG_LINE = /[^\n]{41}/

/** Code with its language and a copy button; scrolls sideways and is focusable, so that the keyboard can scroll it. */
export function CodeBlock({ code, language, children, wrap = false }: CodeBlockProps) {
  const [wraps, setWraps] = useState(wrap)
  return (
    <div className="border-line bg-sunken overflow-hidden rounded-lg border">
      <div className="border-line flex h-9 items-center justify-between border-b pr-1 pl-3">
        <span className="text-muted font-mono text-xs">{language ?? ''}</span>
        <span className="flex">
          {LONG_LINE.test(code) && (
            <IconButton
              label={t('code.wrap')}
              icon={WrapText}
              size="sm"
              aria-pressed={wraps}
              onClick={() => setWraps(!wraps)}
              className={wraps ? 'text-accent' : undefined}
            />
          )}
          <CopyButton text={code} label={t('code.copy')} />
        </span>
      </div>
      <pre
        tabIndex={0}
        aria-label={t('code.label')}
        className="max-h-[32rem] overflow-auto px-3 py-2.5 text-sm focus-visible:outline-offset-[-2px]"
      >
        <code className={wraps ? 'break-words whitespace-pre-wrap' : undefined}>{children ?? code}</code>
      </pre>
    </div>
  )
}
