import { type Arguments, type Command, onlyPositional, type Outcome, UsageProblem } from './command.ts'

type Commands = () => Readonly<Record<string, Command>>

const SHELLS: Readonly<Record<string, (commands: ReturnType<Commands>) => string>> = { bash, zsh, fish }

/** `reeve completion`: what a shell needs to complete the commands, generated from the commands themselves. */
export function completionCommand(commands: Commands): Command {
  return {
    summary: 'print the completion script for a shell',
    usage: 'completion bash|zsh|fish',
    actions: Object.keys(SHELLS),
    about: `bash: reeve completion bash > /etc/bash_completion.d/reeve
zsh:  reeve completion zsh > /usr/local/share/zsh/site-functions/_reeve
fish: reeve completion fish > ~/.config/fish/completions/reeve.fish

The Debian package installs all three.`,
    options: {},
    async run(_terminal, given: Arguments): Promise<Outcome> {
      const shell = SHELLS[onlyPositional(given, 'a shell: bash, zsh or fish')]
      if (shell === undefined) throw new UsageProblem('Completion is available for bash, zsh and fish.')
      const text = shell(commands()).trimEnd()
      return { code: 0, value: { text }, text }
    },
  }
}

/** Words that may follow the command: its actions and its options. */
function wordsOf({ actions = [], options }: Command): string[] {
  return [...actions, ...Object.keys({ ...options, json: null, help: null }).map((name) => `--${name}`)]
}

function bash(commands: ReturnType<Commands>): string {
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) words='${wordsOf(command).join(' ')}' ;;`,
  )
  return `# bash completion for reeve
_reeve() {
  local words='' current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${[...Object.keys(commands), '--help', '--version'].join(' ')}'
  else
    case \${COMP_WORDS[1]} in
${cases.join('\n')}
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _reeve reeve`
}

function zsh(commands: ReturnType<Commands>): string {
  const names = Object.entries(commands).map(([name, { summary }]) => `    '${name}:${summary}'`)
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) compadd -- ${wordsOf(command).join(' ')} ;;`,
  )
  return `#compdef reeve
local -a commands=(
${names.join('\n')}
)
if (( CURRENT == 2 )); then
  _describe command commands
  compadd -- --help --version
else
  case $words[2] in
${cases.join('\n')}
  esac
  _files
fi`
}

function fish(commands: ReturnType<Commands>): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => {
    const inside = `complete -c reeve -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c reeve -f -n __fish_use_subcommand -a ${name} -d '${command.summary}'`,
      ...(command.actions ?? []).map((action) => `${inside} -a ${action}`),
      ...Object.keys({ ...command.options, json: null, help: null }).map((option) => `${inside} -l ${option}`),
    ]
  })
  return ['complete -c reeve -n __fish_use_subcommand -l version', ...lines].join('\n')
}
