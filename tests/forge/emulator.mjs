// A stateful GitHub on a loopback port, told where by one line on stdout. Ends with its standard input.
// node emulator.mjs PORT < seed.json, closing the pipe ends it
import { createEmulator } from 'emulate'

const port = Number(process.argv[2])
const github = await createEmulator({ service: 'github', port, seed: JSON.parse(process.argv[3]) })
process.stdout.write(`${github.url}\n`)
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
