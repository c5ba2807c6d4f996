//! What is told of directives and the catalogue.

use crate::finding::family;

const TEXT: &str = "docs/directives.md#text";
const CATALOGUE: &str = "docs/directives.md#catalogue";

family! { "directives";
    CATALOGUE_UNUSED: Note "catalogue-unused", CATALOGUE;
    "tools of the catalogue file are not in the configuration";
    "they keep their places and are never offered";
    "nothing, if the file is a lock file";

    CATALOGUE_GROWN: Warning "catalogue-grown", CATALOGUE;
    "tools appeared that the catalogue file does not hold";
    "they are appended: from there on `tools` is another than the file says";
    "write the file anew with --write-catalogue, and commit it";

    CATALOGUE_DRIFTED: Warning "catalogue-drifted", CATALOGUE;
    "tools are defined otherwise than the lock file has them";
    "bodies made with it keep its bytes, and say the newer ones by value at best";
    "write the file anew with --write-catalogue, which costs the cached prefix once";

    CHECK_CATALOGUE: Error "check-catalogue", CATALOGUE;
    "--check-catalogue has no lock file to check, or a second one";
    "it holds what servers list now against what was written once";
    "give the lock file with --check-catalogue, and the lists with --catalogue";

    CATALOGUE_PARITY: Error "catalogue-parity", CATALOGUE;
    "--catalogue is given with --parity jp";
    "there tools come from the stream or from `inputs` alone";
    "give the tools of the request as `tools` with --inputs";

    CHOICE_SILENT: Note "choice-silent", "docs/directives.md#choices";
    "a choice to call nothing is said by taking the tools away";
    "the parameter would cost the cached messages, which are longer";
    "nothing needs to be done";

    CATALOGUE_SHAPE: Error "catalogue-shape", CATALOGUE;
    "the catalogue file has none of the shapes that are read";
    "it gives the definitions, order and anchor of the tools";
    "give `tools/list` results by server, an array of tools, or what --write-catalogue wrote";

    DIRECTIVE_HELD: Note "directive-held", "docs/directives.md#placement";
    "a directive waits for the next message of the user";
    "there is no place for it before";
    "nothing needs to be done";

    DIRECTIVE_STRIPPED: Warning "directive-stripped", CATALOGUE;
    "tool changes are left out of a directive";
    "they name tools that `tools` does not define";
    "give the definitions with --catalogue";

    SECTION_WITHDRAWN: Warning "section-withdrawn", TEXT;
    "a section went away, and what was said cannot be unsaid";
    "the model goes on under it";
    "--withdrawals notice tells the model that it no longer applies";

    TOOL_EDITED: Warning "tool-edited", CATALOGUE;
    "a tool's definition was edited after it was sent";
    "`tools` must not change, so the first bytes stay";
    "--tool-mode inline sends the new one by value, where model and betas take it";

    TOOL_SCHEMA: Warning "tool-schema", "docs/bodies.md#schemas";
    "the schema of a tool is one the provider refuses";
    "the tool is left out";
    "give it an object as its root";
}
