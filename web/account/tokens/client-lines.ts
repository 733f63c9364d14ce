/** How an MCP client is told of Reeve; names and lines are the clients' own. */
export interface ClientLines {
  readonly name: string
  /** A file of the client, or the language of a command. */
  readonly where: string
  /** Whether it finds the token in the environment variable REEVE_TOKEN; else it asks for it. */
  readonly fromEnvironment: boolean
  lines(url: string): string
}

export const CLIENTS: readonly ClientLines[] = [
  {
    name: 'Claude Code',
    where: 'sh',
    fromEnvironment: true,
    // In quotes that the shell leaves alone: the client keeps the name of the variable, and not the token, in its file.
    lines: (url) => `claude mcp add --transport http reeve ${url} --header 'Authorization: Bearer \${REEVE_TOKEN}'`,
  },
  {
    name: 'Codex',
    where: '~/.codex/config.toml',
    fromEnvironment: true,
    lines: (url) => `[mcp_servers.reeve]\nurl = "${url}"\nbearer_token_env_var = "REEVE_TOKEN"`,
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json',
    fromEnvironment: false,
    lines: (url) =>
      JSON.stringify(
        {
          inputs: [{ type: 'promptString', id: 'reeve-token', description: 'Reeve', password: true }],
          servers: { reeve: { type: 'http', url, headers: { Authorization: 'Bearer ${input:reeve-token}' } } },
        },
        null,
        2,
      ),
  },
  {
    name: 'Cursor',
    where: '~/.cursor/mcp.json',
    fromEnvironment: true,
    lines: (url) =>
      JSON.stringify(
        { mcpServers: { reeve: { url, headers: { Authorization: 'Bearer ${env:REEVE_TOKEN}' } } } },
        null,
        2,
      ),
  },
]
