import manifest from '../../package.json' with { type: 'json' }
import type { Command } from './command.ts'

/** `reeve man`: the manual page, generated from the commands' own descriptions. */
export function manCommand(commands: () => Readonly<Record<string, Command>>): Command {
  return {
    summary: 'print the manual page',
    usage: 'man',
    about: 'To read it: reeve man | man -l -. The Debian package installs it as reeve(1).',
    options: {},
    run: async () => {
      const text = manualPage(commands())
      return { code: 0, value: { text }, text }
    },
  }
}

function manualPage(commands: Readonly<Record<string, Command>>): string {
  const sections = Object.values(commands).flatMap(({ summary, usage, about }) => [
    '.SS ' + quoted(`reeve ${usage.split('\n')[0]!}`),
    roff(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`),
    ...(usage.includes('\n') ? ['.PP', '.nf', roff(`reeve ${usage}`.replaceAll(/^ +/gm, '')), '.fi'] : []),
    '.PP',
    '.nf',
    roff(about),
    '.fi',
  ])
  return [
    `.TH REEVE 1 "" "Reeve ${manifest.version}"`,
    '.SH NAME',
    'reeve \\- self\\-hosted administration',
    '.SH SYNOPSIS',
    '.B reeve',
    '\\fIcommand\\fR [\\fB\\-\\-help\\fR] [\\fB\\-\\-json\\fR]',
    '.SH DESCRIPTION',
    'Runs and maintains the service. With \\-\\-json a command prints its result for programs.',
    '.SH COMMANDS',
    ...sections,
    '.SH EXIT STATUS',
    '0: success. 1: something is wrong. 2: wrong usage.',
    '.SH FILES',
    '.TP',
    '.I /etc/reeve.env',
    'Settings of the Debian package, one NAME=value per line; docs/configuration.md in the program folder lists all of them.',
    '.TP',
    '.I /var/lib/reeve',
    'Its data.',
  ].join('\n')
}

/** Escapes text for roff, so that no line is taken as a request and a minus stays a minus. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
}

function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', '\\(dq')}"`
}
