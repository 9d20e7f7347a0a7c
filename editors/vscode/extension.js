// Starts the language server of Lawspeaker, and shows what its commands answer.

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Shows a report beside the text it is about. */
async function show(answer) {
  if (!answer || typeof answer.text !== "string") return;
  const content = `${answer.title}\n\n${answer.text}`;
  const document = await workspace.openTextDocument({ content, language: "plaintext" });
  await window.showTextDocument(document, { preview: true, preserveFocus: true, viewColumn: -2 });
}

exports.activate = async () => {
  const command = workspace.getConfiguration("lawspeaker").get("path", "lawspeaker");
  const languages = ["law", "lawspeaker-record", "markdown"];
  client = new LanguageClient(
    "lawspeaker",
    "Lawspeaker",
    { command, args: ["lsp"] },
    {
      documentSelector: languages.map((language) => ({ scheme: "file", language })),
      initializationOptions: { showsAnswers: true },
      middleware: {
        executeCommand: async (name, args, next) => {
          const answer = await next(name, args);
          await show(answer);
          return answer;
        },
      },
    },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
