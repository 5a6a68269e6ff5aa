/** The dialog of the dispute, for every page that shows the table. */

export const FORM = `
  <dialog id="dispute" aria-labelledby="dispute-title">
    <div class="head">
      <h2 id="dispute-title"></h2>
      <button type="button" id="dispute-hide" class="quiet" aria-label="Hide here" title="Hide it on this screen">✕</button>
    </div>
    <p id="dispute-about" class="soft"></p>
    <p id="dispute-subject"></p>
    <div id="proposal" hidden>
      <p id="proposal-words"></p>
      <p id="proposal-note" class="soft"></p>
      <div class="actions" id="proposal-mine">
        <button type="button" data-consents="true" class="large">I agree</button>
        <button type="button" data-consents="false">I do not agree</button>
      </div>
    </div>
    <p id="declined" role="status" hidden></p>
    <details id="dispute-others">
      <summary>Something else that was done</summary>
      <ul id="dispute-subjects" class="rows"></ul>
    </details>
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
        <ul id="strip" aria-label="Pictures"></ul>
        <div id="when">
          <label for="when-at">Another instant: <output id="when-words"></output></label>
          <input type="range" id="when-at" step="1" min="0">
        </div>
      </section>
      <section aria-label="What was ruled">
        <p id="dispute-counts" hidden></p>
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
          <p id="decide-who" class="soft"></p>
          <div id="ways"></div>
          <div class="fields">
            <label>Reason<input name="note" type="text" maxlength="400" autocomplete="off" placeholder="may be left empty"></label>
          </div>
          <div class="actions" id="die">
            <span>Or roll for it, 4 and more is yes:</span>
            <button type="button" data-way="rolled">Roll here</button>
            <span class="dice"></span>
          </div>
        </form>
        <p id="decide-not" class="soft" hidden></p>
        <div id="decided" hidden>
          <p id="decided-words"></p>
          <div class="sealed">
            <img id="decided-square" alt="The seal and the command that checks it, to scan" width="168" height="168">
            <div>
              <p>Scan the seal, or note its first 20 digits: <code id="decided-noted"></code></p>
              <p class="soft">With them anybody can check the file later. The whole seal: <code id="decided-seal"></code></p>
            </div>
          </div>
          <p class="actions" id="decided-files"></p>
          <p class="actions"><button type="button" id="dispute-reopen">Open it again</button></p>
        </div>
        <p id="decided-trouble" class="trouble" hidden></p>
        <p id="dispute-said" role="alert"></p>
        <p class="actions"><button type="button" id="dispute-release"></button></p>
      </section>
    </div>
  </dialog>
  <dialog id="dispute-choose" aria-labelledby="choose-title">
    <div class="head">
      <h2 id="choose-title">What is disputed?</h2>
      <button type="button" id="choose-close" class="quiet" aria-label="Close">✕</button>
    </div>
    <p class="soft">It is frozen on every screen, as it stood then. The game can go on behind it.</p>
    <ul id="choose-subjects" class="rows"></ul>
    <p id="choose-none" class="soft" hidden>Nothing that was done can be disputed as it stood then.</p>
    <p id="choose-restarted" class="soft" hidden>tableref was started again in this game. What was done and decided before that cannot be opened any more: the replay shows it.</p>
    <details id="choose-else">
      <summary>Something else: pick the pieces</summary>
      <form id="choose-form">
        <div class="fields" id="choose-pieces"></div>
        <div class="fields"><label>Question<select name="question"></select></label></div>
        <p id="choose-missing" class="soft" hidden></p>
        <div class="actions"><button type="submit">Dispute this</button></div>
      </form>
    </details>
    <div id="choose-again" hidden>
      <h3>Decided before</h3>
      <ul id="choose-decided" class="rows"></ul>
    </div>
    <p id="choose-said" role="alert"></p>
  </dialog>
`;
