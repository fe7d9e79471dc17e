// validate_gltf.js MODULES FILE...: exit 1 if Khronos' validator has an error or a warning.
const fs = require("fs");
const path = require("path");
const validator = require(path.resolve(process.argv[2], "gltf-validator"));

async function validate(file) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    if (numErrors + numWarnings > 0) {
        console.error(file, JSON.stringify(messages.slice(0, 5)));
        process.exitCode = 1;
    }
}

process.argv.slice(3).forEach(validate);
