import { WrapText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { t } from '../../text/i18n.ts'

interface MarkdownCodeProps {
  readonly code: string
  /** The word after the opening fence; empty when there is none. */
  readonly language: string
}

interface Coloured {
  readonly code: string
  readonly html: string
}

/** Shorter lines fit, even on a phone. */
const LONG_LINE = /[^\n]{41}/

/**
 * A code block in an answer. Plain at first; highlighted once the highlighter's chunk has loaded, without changing its
 * size.
 */
export function MarkdownCode({ code, language }: MarkdownCodeProps) {
  const name = /^[\w+#.-]+/.exec(language)?.[0].toLowerCase() ?? ''
  const [wraps, setWraps] = useState(false)
  const [coloured, setColoured] = useState<Coloured | null>(null)
  useEffect(() => {
    if (name === '') return undefined
    let current = true
    const colour = async (): Promise<void> => {
      const { highlightCode } = await import('./code-highlight.ts')
      const html = highlightCode(code, name)
      if (current) setColoured(html === null ? null : { code, html })
    }
    // Without the chunk (offline) the code stays plain.
    colour().catch(() => undefined)
    return () => {
      current = false
    }
  }, [code, name])

  // While code streams in, highlighted lines stay highlighted and the new end is plain until its turn.
  const rest = coloured && code.startsWith(coloured.code) ? code.slice(coloured.code.length) : null
  return (
    <CodeBlock
      code={code}
      language={name === '' ? undefined : name}
      wrap={wraps}
      tools={
        LONG_LINE.test(code) && (
          <IconButton
            label={t('code.wrap')}
            icon={WrapText}
            size="sm"
            aria-pressed={wraps}
            onClick={() => setWraps(!wraps)}
            className={wraps ? 'text-accent' : undefined}
          />
        )
      }
    >
      {coloured && rest !== null ? (
        <>
          {/* Contains only spans with a class: generated and sanitised by code-highlight. */}
          <span dangerouslySetInnerHTML={{ __html: coloured.html }} />
          {rest}
        </>
      ) : undefined}
    </CodeBlock>
  )
}
