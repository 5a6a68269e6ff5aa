/** The dialog of the dispute, for every page that shows the table. */

export const FORM = `
  <dialog id="dispute" aria-labelledby="dispute-title">
    <div class="head">
      <h2 id="dispute-title"></h2>
      <button type="button" id="dispute-hide" class="quiet" aria-label="Hide here" title="Hide it on this screen">✕</button>
    </div>
    <p id="dispute-about" class="soft"></p>
    <div class="halves">
      <section aria-label="What was seen">
        <div id="pane" tabindex="0" role="img" aria-label="">
          <div id="pane-inside"><img id="pane-picture" alt=""><img id="pane-marks" alt=""></div>
        </div>
        <div class="switches">
          <button type="button" id="pane-in" class="quiet" aria-label="Larger">+</button>
          <button type="button" id="pane-out" class="quiet" aria-label="Smaller">−</button>
          <button type="button" id="pane-fit">Fit</button>
          <label class="tick" id="pane-lines"><input type="checkbox" checked>Lines</label>
        </div>
        <p id="pane-words" role="status"></p>
        <ul id="strip" role="group" aria-label="Pictures"></ul>
        <div id="when">
          <label for="when-at">Another instant: <output id="when-words"></output></label>
          <input type="range" id="when-at" step="1" min="0">
        </div>
      </section>
      <section aria-label="What was ruled">
        <p id="dispute-verdict"></p>
        <p id="dispute-sentence"></p>
        <ol id="dispute-checks"></ol>
        <details>
          <summary>How surely it is known</summary>
          <ul id="dispute-facts"></ul>
        </details>
        <div id="dispute-asked-all" hidden>
          <h3>Asked of the frozen table</h3>
          <ul id="dispute-asked"></ul>
        </div>
        <form id="ask-form">
          <h3>Ask another question</h3>
          <div class="fields" id="ask-pieces"></div>
          <div class="fields"><label>Question<select name="question"></select></label></div>
          <p id="ask-missing" class="soft" hidden></p>
          <div class="actions">
            <button type="submit">Ask</button>
            <button type="button" id="ask-instead">Dispute this instead</button>
          </div>
        </form>
        <form id="decide-form">
          <h3 id="decide-title"></h3>
          <div class="fields">
            <label>Decided by<input name="by" type="text" maxlength="80" autocomplete="name" placeholder="your names"></label>
            <label>Note<input name="note" type="text" maxlength="400" autocomplete="off" placeholder="may be left empty"></label>
          </div>
          <div class="actions" id="ways"></div>
          <div class="actions" id="die">
            <span>Or roll for it, 4 and more is yes:</span>
            <button type="button" data-way="rolled">Roll here</button>
            <span class="dice"></span>
          </div>
        </form>
        <div id="decided" hidden>
          <p id="decided-words"></p>
          <p class="soft">Seal <code id="decided-seal"></code></p>
          <p id="decided-trouble" class="trouble" hidden></p>
          <p class="actions" id="decided-files"></p>
        </div>
        <p id="dispute-said" role="alert"></p>
        <p class="actions"><button type="button" id="dispute-release"></button></p>
      </section>
    </div>
  </dialog>
`;
