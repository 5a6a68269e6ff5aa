/** The file of a dispute, to be saved in either form. */

/**
 * Links to the file, in the folder of the dispute's id.
 * @param {string} folder
 * @param {string} id
 * @param {string} [words] before the form's name
 */
export function fileLinks(folder, id, words = "Save as ") {
  return ["html", "pdf"].map((kind) => {
    const link = document.createElement("a");
    link.className = "button";
    link.href = `${folder}/${id}/dispute.${kind}`;
    link.download = `dispute-${id}.${kind}`;
    link.textContent = `${words}${kind.toUpperCase()}`;
    return link;
  });
}
